import type { Service, ServiceOptions } from './open-service.ts';
import { withScratchFolder } from './scratch-folder.ts';
import { withService } from './with-service.ts';

/** Runs `use` with a service, of further settings, whose data are in a folder of their own that is removed afterwards. */
export function withScratchService<T>(
  use: (service: Service) => Promise<T>,
  settings: NodeJS.ProcessEnv = {},
  options: ServiceOptions = {},
): Promise<T> {
  return withScratchFolder('scratch', (folder) =>
    withService(
      use,
      { ...settings, PROCTOR_DATA_DIR: folder, PROCTOR_DATABASE_URL: '', PROCTOR_SIGNING_KEY_FILE: '' },
      options,
    ),
  );
}
