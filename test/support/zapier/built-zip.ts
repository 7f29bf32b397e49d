import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownEnvironment } from '../own-environment.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { zapierFolder } from './integration.js';

const zapierCliVersion = '19.1.0';

export const zapierCli = {
  name: `zapier-platform-cli-${zapierCliVersion}`,
  packages: [`zapier-platform-cli@${zapierCliVersion}`],
};

type Zip = { readonly extractAllTo: (folder: string) => void };

/**
 * Builds the zip that `zapier-platform push` sends to Zapier, from a copy of the integration and its packages. Returns a folder with what
 * is in the zip, and nothing else. Rejects with the output of the command if it fails.
 *
 * @param cliFolder where the command line of Zapier is installed
 */
export async function unzippedBuild(cliFolder: string): Promise<string> {
  const app = join(temporaryDirectory(), 'our-zapier-app');
  cpSync(zapierFolder, app, { recursive: true });
  const packages = createRequire(join(cliFolder, 'package.json'));
  // Validation asks Zapier's servers; zapier-package.test.ts makes the part of it that does not.
  const build = ['build', '--skip-dep-install', '--skip-validation'];
  await promisify(execFile)(process.execPath, [packages.resolve('zapier-platform-cli/src/bin/run'), ...build], {
    cwd: app,
    env: { ...ownEnvironment(), HOME: temporaryDirectory(), DISABLE_ZAPIER_ANALYTICS: '1', NO_UPDATE_NOTIFIER: '1' },
  });
  const ZipFile = packages('adm-zip') as new (path: string) => Zip;
  const unzipped = temporaryDirectory();
  new ZipFile(join(app, 'build/build.zip')).extractAllTo(unzipped);
  return unzipped;
}
