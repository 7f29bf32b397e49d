import { installNpmPackages, npm } from '../install-npm-packages.js';

/** Newer ones depend on packages that not every registry has. */
export const n8nVersion = '2.40.7';

/** n8n's own linter of community packages. */
const nodeCliVersion = '0.48.3';

/** The folder with n8n. It is installed at the first call: 2.8 GB, some minutes. */
export function installN8n(): string {
  // Scripts are not run but one: most are native builds of integrations that are not used.
  const finish = (folder: string) => void npm(folder, 'rebuild', 'sqlite3');
  return installNpmPackages(`n8n-${n8nVersion}`, [`n8n@${n8nVersion}`], finish);
}

/** The folder with `@n8n/node-cli`. It is installed at the first call: 700 MB. */
export const installNodeCli = (): string =>
  installNpmPackages(`n8n-node-cli-${nodeCliVersion}`, [`@n8n/node-cli@${nodeCliVersion}`, 'typescript@5.9.3']);
