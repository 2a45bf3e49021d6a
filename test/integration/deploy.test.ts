import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createMetrics } from '../../src/api/metrics.ts';
import { SETTINGS } from '../../src/config-settings.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

/** Names of settings anywhere in a text. */
const settingsIn = (text: string) => [...new Set(text.match(/\bPROCTOR_(?!IMAGE|PUBLISH)[A-Z_]+/g))];

describe('what is shipped for deployment names nothing that does not exist', () => {
  test('alarms and dashboard use metrics that there are', async () => {
    const known = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
    const text = read('deploy/prometheus/proctor.rules.yml') + read('deploy/grafana/proctor.json');
    const used = [...new Set(text.match(/\b(proctor|process)_[a-z_]+/g))]
      .map((name) => name.replace(/_(bucket|count|sum)$/, ''))
      .filter((name) => !known.includes(name));
    expect(used).toEqual([]);
  });

  test('every alarm leads to a section of the page of first aid', () => {
    const anchors = [...read('docs/first-aid.md').matchAll(/^## (.+)$/gm)].map(
      ([, title]) => `docs/first-aid.md#${title?.toLowerCase().replaceAll(' ', '-')}`,
    );
    const { groups } = parse(read('deploy/prometheus/proctor.rules.yml'));
    const led = groups.flatMap((group: { rules: { annotations: { first_aid: string } }[] }) =>
      group.rules.map((rule) => rule.annotations.first_aid),
    );
    expect(led.length).toBeGreaterThan(5);
    for (const anchor of led) expect(anchors).toContain(anchor);
  });

  test.each(['docker-compose.yml', 'Dockerfile', ...manifests()])('%s uses settings that there are', (path) => {
    for (const name of settingsIn(read(path))) expect(Object.keys(SETTINGS)).toContain(name);
  });

  test('what compose and the image copy is there', () => {
    const { secrets, services } = parse(read('docker-compose.yml'), { merge: true });
    expect(Object.keys(services)).toEqual(['api', 'worker', 'reaper', 'postgres', 'redis']);
    const made = read('deploy/compose/secrets.sh');
    for (const { file } of Object.values(secrets) as { file: string }[]) {
      expect(made).toContain(file.replace('./deploy/compose/', ''));
    }
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, files]) => files?.split(' ') ?? [],
    );
    for (const file of copied) expect([file, existsSync(join(REPOSITORY, file))]).toEqual([file, true]);
  });
});

function manifests(): readonly string[] {
  return ['deploy/kubernetes/base', 'deploy/kubernetes/elastic'].flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => join(folder, name)),
  );
}

describe('kubernetes manifests', () => {
  test.each(manifests())('%s has whole documents', (path) => {
    const documents = parseAllDocuments(read(path));
    for (const document of documents) {
      expect(document.errors).toEqual([]);
      expect(document.toJS()).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
    }
  });

  test('each kustomization lists what is beside it', () => {
    for (const path of manifests().filter((name) => name.endsWith('kustomization.yaml'))) {
      const { resources } = parse(read(path));
      const beside = readdirSync(join(REPOSITORY, dirname(path))).filter(
        (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
      );
      const [own, others] = [
        [...resources].filter((name) => !name.startsWith('../')),
        [...resources].filter((name) => name.startsWith('../')),
      ];
      expect(own.sort()).toEqual(beside.sort());
      for (const other of others)
        expect(existsSync(join(REPOSITORY, dirname(path), other, 'kustomization.yaml'))).toBe(true);
    }
  });

  test('only node agents are privileged; the API can write nothing but what it mounts', () => {
    const containers = parseAllDocuments(read('deploy/kubernetes/base/api.yaml'))
      .map((document) => document.toJS())
      .flatMap(({ kind, spec }) => (kind === 'Deployment' ? spec.template.spec.containers : []));
    expect(containers).toHaveLength(1);
    for (const { securityContext } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
});
