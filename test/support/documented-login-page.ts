import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reusablePort } from '../eventstoredb-double/src/reusable-port.js';
import { startModule } from './process.js';
import { temporaryDirectory } from './temporary-directory.js';

const project = fileURLToPath(new URL('../../../', import.meta.url));

export type LoginPage = {
  issuer: string;
  /** The settings of a service that trusts it. */
  settings: Readonly<Record<string, string>>;
  stop: () => Promise<unknown>;
};

/** The login page that docs/sign-in.md shows. Its platform is `zapier`, and its user is `documentedUser`. */
export const documentedLoginPage = (): string => {
  const markdown = readFileSync(join(project, 'docs/sign-in.md'), 'utf8');
  return /<!-- A test runs this page\. -->\n```js\n(.*?)^```$/ms.exec(markdown)?.[1] ?? '';
};

/** Ada of the organisation `acme`, as she fills in its form. */
export const documentedUser = { user: 'ada', password: 'correct horse' };

/** Runs the page as a file beside the packages of this project, for the service at this public URL. `change` adapts its text. */
export async function startLoginPage(service: string, change = (page: string): string => page): Promise<LoginPage> {
  const directory = temporaryDirectory();
  symlinkSync(join(project, 'node_modules'), join(directory, 'node_modules'));
  const file = join(directory, 'login-page.mjs');
  writeFileSync(file, change(documentedLoginPage()));
  const port = await reusablePort();
  const page = startModule(new URL(`file://${file}`), String(port), service);
  await page.prints(/\n/); // it listens
  const issuer = `http://127.0.0.1:${port}`;
  const settings = {
    LOGIN_URLS: JSON.stringify({ '*': `${issuer}/` }),
    LOGIN_ISSUER: issuer,
    LOGIN_JWKS: `${issuer}/jwks.json`,
    LOGIN_AUDIENCE: 'flow-hooks',
  };
  return { issuer, settings, stop: page.stop };
}
