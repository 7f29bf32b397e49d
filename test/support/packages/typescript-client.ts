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

type ClientEvent = { readonly type: string; readonly data: unknown; readonly [field: string]: unknown };
type Fields = { readonly [field: string]: unknown };
type Items = AsyncIterable<Readonly<Record<string, unknown>>>;
type ClientReplay = {
  readonly id: string;
  readonly state: string;
  readonly percent: number;
  readonly enqueued: number;
};

/** What journeys use of the client. The package's own types are checked in a project that uses it, by `compileForUser`. */
export type FlowHooks = {
  readonly whoami: () => Promise<Fields>;
  readonly subscribe: (listener: Fields) => Promise<{ readonly listenerId: string; readonly signingSecret: string }>;
  readonly unsubscribe: (address: Fields) => Promise<void>;
  readonly publish: (event: ClientEvent, options?: Fields) => Promise<{ readonly id: string }>;
  readonly publishBatch: (events: Iterable<ClientEvent>, options?: Fields) => Promise<readonly PublishResult[]>;
  readonly listDeliveries: (query: Fields, options?: Fields) => Items;
  readonly listFlowEvents: (query: Fields, options?: Fields) => Items;
  readonly listListeners: (query: Fields, options?: Fields) => Items;
  readonly explain: (request: Fields) => Promise<{ readonly event: Fields; readonly items: readonly Fields[] }>;
  readonly replay: (request: Fields, options?: Fields) => Promise<ClientReplay>;
  readonly waitForReplay: (id: string, options?: Fields) => Promise<ClientReplay>;
  readonly cancelReplay: (id: string) => Promise<ClientReplay & { readonly cancelled: number }>;
  readonly api: Readonly<
    Record<
      'GET' | 'POST',
      (path: string, init?: Fields) => Promise<{ data?: unknown; error?: unknown; response: Response }>
    >
  >;
};

type PublishResult = { readonly status: string; readonly id: string; readonly error?: string };

export type TypescriptClient = {
  readonly FlowHooks: new (options: Fields) => FlowHooks;
  readonly FlowHooksError: new (...args: never[]) => Error;
  readonly verify: (secrets: string | readonly string[], headers: object, body: string | Uint8Array) => unknown;
};

/** The error of the client, as far as tests compare it. */
export type ClientError = Error & {
  readonly code: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly results?: readonly PublishResult[];
};

/** A project that has installed the package: `folder`. Its packages are links to those of the package's folder. */
export type ClientUser = { readonly folder: string; readonly packageFolder: string };

/** TypeScript 7 of this project, which takes a tenth of the time, and the version that the package brings. */
const compilers = {
  fast: join(project, 'node_modules/typescript/bin/tsc'),
  own: join(clientFolder, 'node_modules/typescript/bin/tsc'),
} as const;

/** Compiles the package, and installs it in an empty project. Throws if its packages are not installed. */
export async function installTypescriptClient(compiler: keyof typeof compilers = 'fast'): Promise<ClientUser> {
  if (!existsSync(compilers.own)) throw new Error('run "node tools/prepare.mjs clients/typescript" first');
  const folder = temporaryDirectory();
  const packageFolder = join(folder, 'node_modules/flow-hooks-client');
  mkdirSync(packageFolder, { recursive: true });
  await compile(compiler, ['--project', clientFolder, '--outDir', join(packageFolder, 'dist')], clientFolder);
  for (const file of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'api.d.ts'])
    cpSync(join(clientFolder, file), join(packageFolder, file));
  const { dependencies } = JSON.parse(readFileSync(join(clientFolder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
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
