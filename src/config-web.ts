import { z } from 'zod';
import { ProctorError } from './platform/base/errors.ts';

const OIDC_ROLES = /^[^:=,]+:[^=,]+=(reviewer|admin)(,[^:=,]+:[^=,]+=(reviewer|admin))*$/;

/** Settings of the reviewers' pages. */
export const WEB_SETTINGS = {
  PROCTOR_PUBLIC_URL: {
    shape: z
      .string()
      .regex(/^https?:\/\/[^/]+$/, 'must be https://HOST without a path')
      .optional(),
    about:
      'Where people reach the review pages; with https their cookies are Secure, and OpenID Connect comes back to it',
  },
  PROCTOR_OIDC_ISSUER: {
    shape: z
      .string()
      .regex(/^https?:\/\/\S+$/, 'must be a URL')
      .optional(),
    about:
      'Issuer of OpenID Connect by which reviewers may log in, beside API keys; needs the next three and PROCTOR_PUBLIC_URL',
  },
  PROCTOR_OIDC_CLIENT_ID: { shape: z.string().min(1).optional(), about: 'What that issuer calls this service' },
  PROCTOR_OIDC_CLIENT_SECRET: { shape: z.string().min(1).optional(), about: 'Its secret there' },
  PROCTOR_OIDC_ROLES: {
    shape: z
      .string()
      .regex(OIDC_ROLES, 'must be CLAIM:VALUE=reviewer or =admin, more of them behind commas')
      .optional(),
    about: 'Who gets in, the first that fits: groups:graders=reviewer,email:ann@example.org=admin',
  },
} as const;

type Settings = { readonly [Name in keyof typeof WEB_SETTINGS]: z.infer<(typeof WEB_SETTINGS)[Name]['shape']> };

/** The same, resolved. */
export interface WebConfig {
  /** Where people reach the pages; null: wherever they ask for them. */
  readonly publicUrl: string | null;
  /** Null: no OpenID Connect. */
  readonly oidc: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly roles: readonly { readonly claim: string; readonly value: string; readonly role: 'reviewer' | 'admin' }[];
  } | null;
}

/** Resolves them; `invalid-config` where OpenID Connect is not whole. */
export function webConfig(settings: Settings): WebConfig {
  return { publicUrl: settings.PROCTOR_PUBLIC_URL ?? null, oidc: oidcOf(settings) };
}

/** All of OpenID Connect, or none. */
function oidcOf(settings: Settings): WebConfig['oidc'] {
  const given = {
    PROCTOR_OIDC_ISSUER: settings.PROCTOR_OIDC_ISSUER,
    PROCTOR_OIDC_CLIENT_ID: settings.PROCTOR_OIDC_CLIENT_ID,
    PROCTOR_OIDC_CLIENT_SECRET: settings.PROCTOR_OIDC_CLIENT_SECRET,
    PROCTOR_OIDC_ROLES: settings.PROCTOR_OIDC_ROLES,
  };
  if (Object.values(given).every((value) => value === undefined)) return null;
  const missing = Object.entries({ ...given, PROCTOR_PUBLIC_URL: settings.PROCTOR_PUBLIC_URL })
    .filter(([, value]) => value === undefined)
    .map(([name]) => name);
  if (missing.length > 0) {
    throw new ProctorError('invalid-config', `settings: OpenID Connect also needs ${missing.join(', ')}`);
  }
  const roles = (settings.PROCTOR_OIDC_ROLES ?? '').split(',').map((rule) => {
    const [, claim = '', value = '', role] = /^([^:]+):(.+)=(reviewer|admin)$/.exec(rule) ?? [];
    return { claim, value, role: role === 'admin' ? ('admin' as const) : ('reviewer' as const) };
  });
  return {
    issuer: settings.PROCTOR_OIDC_ISSUER ?? '',
    clientId: settings.PROCTOR_OIDC_CLIENT_ID ?? '',
    clientSecret: settings.PROCTOR_OIDC_CLIENT_SECRET ?? '',
    roles,
  };
}
