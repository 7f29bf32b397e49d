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

type Zip = { extractAllTo: (folder: string) => void };

/**
 * Validates a copy of the integration, as far as that needs none of Zapier's servers, and builds from it the zip that `zapier-platform push`
 * sends to Zapier. Returns a folder with what is in the zip, and nothing else. Rejects with the output of the command that fails.
 *
 * @param cliFolder where the command line of Zapier is installed
 */
export async function unzippedBuild(cliFolder: string): Promise<string> {
  const app = join(temporaryDirectory(), 'our-zapier-app');
  cpSync(zapierFolder, app, { recursive: true });
  const packages = createRequire(join(cliFolder, 'package.json'));
  const program = packages.resolve('zapier-platform-cli/src/bin/run');
  const variables = { HOME: temporaryDirectory(), DISABLE_ZAPIER_ANALYTICS: '1', NO_UPDATE_NOTIFIER: '1' };
  const options = { cwd: app, env: { ...ownEnvironment(), ...variables } };
  const command = (...args: readonly string[]) => promisify(execFile)(process.execPath, [program, ...args], options);
  await command('validate', '--without-style');
  await command('build', '--skip-dep-install', '--skip-validation');
  const ZipFile = packages('adm-zip') as new (path: string) => Zip;
  const unzipped = temporaryDirectory();
  new ZipFile(join(app, 'build/build.zip')).extractAllTo(unzipped);
  return unzipped;
}
