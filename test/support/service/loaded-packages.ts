import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Coverage = { result: readonly { url: string }[] };

/** The modules that a process with this directory as `NODE_V8_COVERAGE` had loaded at its end, on any of its threads, as URLs. */
export const loadedModules = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((file) => file.startsWith('coverage-'))
    .flatMap((file) => (JSON.parse(readFileSync(join(directory, file), 'utf8')) as Coverage).result)
    .map(({ url }) => url);

/** The packages that these modules belong to. */
export function packagesOf(modules: readonly string[]): readonly string[] {
  const packages = modules.flatMap(
    (url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1] ?? [],
  );
  return [...new Set(packages)].sort();
}
