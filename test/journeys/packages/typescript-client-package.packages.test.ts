import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { generateSigningKeys } from '../../../src/access/keys/signing-keys.js';
import { ownEnvironment } from '../../support/own-environment.js';
import {
  type ClientUser,
  clientFolder,
  compileForUser,
  installTypescriptClient,
} from '../../support/packages/typescript-client.js';
import { startService } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const run = promisify(execFile);

/** A service that has other routes for browsers than one in development mode. Nothing reaches its provider. */
const production = () => ({
  MODE: 'production',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'https://hooks.example.com/base',
  LOGIN_PROVIDERS: JSON.stringify({
    'hooks.example.com': { issuer: 'https://issuer.invalid', clientId: 'a', clientSecret: 'b', organisation: 'acme' },
  }),
  SIGNING_KEYS: generateSigningKeys(),
  MASTER_KEYS: `g1:${randomBytes(32).toString('base64')}`,
});

describe('the package of the TypeScript client', function () {
  this.timeout(120_000);
  let user: ClientUser;

  before(async () => {
    user = await installTypescriptClient('own');
  });

  it('has the types that `npm run generate` makes of /openapi.json of any service', async () => {
    const own = await startService({ environment: production() });
    try {
      const committed = readFileSync(join(clientFolder, 'api.d.ts'), 'utf8');
      for (const { origin } of [await sharedService(), own]) {
        const generated = join(temporaryDirectory(), 'api.d.ts');
        const script = join(clientFolder, 'generate.mjs');
        await run(process.execPath, [script, `${origin}/`, generated], { env: ownEnvironment() });
        expect(committed === readFileSync(generated, 'utf8'), remedy).to.equal(true);
      }
    } finally {
      await own.stop();
    }
  });

  it('accepts programs with the right types, and refuses others, in Node and in browsers', async () => {
    copyFileSync(join(clientFolder, 'test/types.ts'), join(user.folder, 'types.ts'));
    const inNode = ['--lib', 'es2023', '--types', 'node', '--noEmit'];
    const inBrowsers = ['--lib', 'es2023,dom', '--typeRoots', 'none', '--noEmit'];
    await compileForUser(user, ['types.ts'], inNode, 'own');
    for (const options of [inNode, inBrowsers]) await compileForUser(user, ['types.ts'], options);
  });

  it('has a description on every public name', () => {
    expect(undescribedNames(user.packageFolder)).to.deep.equal([]);
  });

  it('holds its code, its types and its page, and needs nothing else', async () => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
    const { stdout } = await run('npm', pack, {
      cwd: user.packageFolder,
      env: { ...ownEnvironment(), HOME: user.folder },
    });
    const [{ files = [] } = {}] = JSON.parse(stdout) as { files: { path: string }[] }[];
    const paths = files.map(({ path }) => path);
    expect(paths).to.include.members([
      'package.json',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
      'api.d.ts',
      'dist/index.js',
      'dist/index.d.ts',
    ]);
    expect(
      paths.filter(
        (path) =>
          !/^(package\.json|README\.md|CHANGELOG\.md|LICENSE|api\.d\.ts|dist\/[a-z-]+(\.d\.ts|\.js))$/.test(path),
      ),
    ).to.deep.equal([]);
  });

  it('can be imported, and required by programs in CommonJS', async () => {
    const program = `const { FlowHooks, verify } = require('flow-hooks-client'); console.log(typeof FlowHooks, typeof verify)`;
    writeFileSync(join(user.folder, 'program.cjs'), program);
    const { stdout } = await run(process.execPath, ['program.cjs'], { cwd: user.folder, env: ownEnvironment() });
    expect(stdout.trim()).to.equal('function function');
  });
});

/** The exported names without a doc comment, and the members of exported classes, in the compiled declarations. */
function undescribedNames(packageFolder: string): readonly string[] {
  const read = (name: string) => readFileSync(join(packageFolder, 'dist', name), 'utf8');
  const exported = [...read('index.d.ts').matchAll(/^export .*from '\.\/([a-z-]+)\.js';$/gm)];
  expect(exported.length).to.be.above(3);
  return exported.flatMap(([statement, file]) => {
    const text = read(`${file}.d.ts`);
    const isPublic = (name: string) => statement.includes(' * ') || new RegExp(`\\b${name}\\b`).test(statement);
    const declared = text.matchAll(/^(.*)\nexport (?:declare )?(?:class|function|const|type) (\w+)/gm);
    const members = text.matchAll(/^(.*)\n {4}(?!constructor|private|name:)(?:readonly )?(\w+)(?:<.*>)?\(.*;$/gm);
    const undescribed = ([, before = '']: readonly string[]) => !before.trimEnd().endsWith('*/');
    const names = [...[...declared].filter(([, , name = '']) => isPublic(name)), ...members].filter(undescribed);
    return names.map(([, , name]) => `${file}: ${name}`);
  });
}

const remedy =
  'clients/typescript/api.d.ts differs: run `npm run generate -- URL` there, with the address of a running service';
