import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ownEnvironment } from '../own-environment.js';
import { temporaryDirectory } from '../temporary-directory.js';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../../../', import.meta.url));

/** The folder that companies copy. */
export const clientFolder = join(project, 'clients/typescript');

type ClientEvent = { type: string; data: unknown; [field: string]: unknown };
type Fields = { [field: string]: unknown };
type Items = AsyncIterable<Readonly<Record<string, unknown>>>;
type ClientReplay = {
  id: string;
  state: string;
  percent: number;
  enqueued: number;
};

/** Part of the client that journeys use. The package's own types are checked in a project that uses it, by `compileForUser`. */
export type FlowHooks = {
  whoami: () => Promise<Fields>;
  subscribe: (listener: Fields) => Promise<{ listenerId: string; signingSecret: string }>;
  unsubscribe: (address: Fields) => Promise<void>;
  publish: (event: ClientEvent, options?: Fields) => Promise<{ id: string }>;
  publishBatch: (events: Iterable<ClientEvent>, options?: Fields) => Promise<readonly PublishResult[]>;
  listDeliveries: (query: Fields, options?: Fields) => Items;
  listFlowEvents: (query: Fields, options?: Fields) => Items;
  listListeners: (query: Fields, options?: Fields) => Items;
  explain: (request: Fields) => Promise<{ event: Fields; items: readonly Fields[] }>;
  replay: (request: Fields, options?: Fields) => Promise<ClientReplay>;
  waitForReplay: (id: string, options?: Fields) => Promise<ClientReplay>;
  cancelReplay: (id: string) => Promise<ClientReplay & { cancelled: number }>;
  api: Readonly<
    Record<
      'GET' | 'POST',
      (path: string, init?: Fields) => Promise<{ data?: unknown; error?: unknown; response: Response }>
    >
  >;
};

type PublishResult = { status: string; id: string; error?: string };

export type TypescriptClient = {
  FlowHooks: new (options: Fields) => FlowHooks;
  FlowHooksError: new (...args: never[]) => Error;
  verify: (secrets: string | readonly string[], headers: object, body: string | Uint8Array) => unknown;
};

/** The error of the client, as far as tests compare it. */
export type ClientError = Error & {
  code: string;
  status?: number;
  requestId?: string;
  retryAfterMs?: number;
  results?: readonly PublishResult[];
};

/** A project that has installed the package: `folder`. Its packages are links to those of the package's folder. */
export type ClientUser = { folder: string; packageFolder: string };

/** TypeScript 7 of this project, which takes a tenth of the time, and the version that the package brings. */
const compilers = {
  fast: join(project, 'node_modules/typescript/bin/tsc'),
  own: join(clientFolder, 'node_modules/typescript/bin/tsc'),
} as const;

/** Compiles the package, and installs it in an empty project. Throws if its packages are not installed. */
export async function installTypescriptClient(compiler: keyof typeof compilers = 'fast'): Promise<ClientUser> {
  if (!existsSync(compilers.own)) throw new Error('run "node tools/prepare.mjs --packages" first');
  const folder = temporaryDirectory();
  const packageFolder = join(folder, 'node_modules/flow-hooks-client');
  mkdirSync(packageFolder, { recursive: true });
  await compile(compiler, ['--project', clientFolder, '--outDir', join(packageFolder, 'dist')], clientFolder);
  for (const file of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'api.d.ts'])
    cpSync(join(clientFolder, file), join(packageFolder, file));
  const { dependencies } = JSON.parse(readFileSync(join(clientFolder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies))
    link(join(clientFolder, 'node_modules', name), join(folder, 'node_modules', name));
  link(join(project, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  return { folder, packageFolder };
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, 'junction');
}

/** The package as a program imports it. */
export async function loadTypescriptClient(): Promise<TypescriptClient> {
  const { packageFolder } = await installTypescriptClient();
  return (await import(pathToFileURL(join(packageFolder, 'dist/index.js')).href)) as TypescriptClient;
}

/** Compiles `.ts` files of a project, and checks their types and those of the package. Rejects with what the compiler reports. */
export const compileForUser = (
  { folder }: ClientUser,
  files: readonly string[],
  options: readonly string[],
  compiler: keyof typeof compilers = 'fast',
): Promise<void> =>
  compile(
    compiler,
    [...files, '--strict', '--exactOptionalPropertyTypes', '--target', 'es2023', '--module', 'nodenext', ...options],
    folder,
  );

async function compile(compiler: keyof typeof compilers, args: readonly string[], cwd: string): Promise<void> {
  try {
    await run(process.execPath, [compilers[compiler], ...args], { cwd, env: ownEnvironment() });
  } catch (error) {
    throw new Error(`tsc: ${(error as { stdout?: string }).stdout}`, { cause: error });
  }
}
