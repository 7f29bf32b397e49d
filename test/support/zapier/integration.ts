import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Bundle that Zapier gives to each function of an integration, as far as these tests give it. */
export type Bundle = {
  authData?: Readonly<Record<string, string>>;
  inputData?: Readonly<Record<string, string>>;
  meta?: Readonly<Record<string, unknown>>;
  targetUrl?: string;
  subscribeData?: object;
  rawRequest?: object;
};

export type Integration = {
  /** Runs a method, such as `authentication.test`, in zapier-platform-core. Its errors have a meaning by their names; most messages are JSON. */
  run: (method: string, bundle: Bundle) => Promise<unknown>;
};

type Core = {
  createAppTester: (app: object) => (method: unknown, bundle: Bundle) => Promise<unknown>;
};

/** The integration that users copy. */
export const zapierFolder = fileURLToPath(new URL('../../../../platforms/zapier', import.meta.url));

/** An integration of a folder, in the runtime of its own node_modules, which is the one that Zapier runs it in. */
export function loadIntegration(folder = zapierFolder): Integration {
  const load = createRequire(join(folder, 'package.json'));
  const app = load('./index.js') as object;
  const { createAppTester } = load('zapier-platform-core') as Core;
  const tester = createAppTester(app);
  const methodOf = (path: string): unknown =>
    path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], app);
  return {
    run: (method, bundle) => tester(methodOf(method), structuredClone(bundle)),
  };
}
