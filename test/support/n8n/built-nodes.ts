import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { nodesPackage } from './nodes-package.js';

const modules = join(nodesPackage, 'node_modules');
const fromPackage = createRequire(join(nodesPackage, 'package.json'));

let built: string | undefined;

/** A module of `platforms/n8n` (`nodes/FlowHooks/FlowHooks.node.js`), which is compiled for this process at the first call. */
export function builtModule<Module>(path: string): Module {
  if (built === undefined) {
    const folder = mkdtempSync(join(modules, '.built-')); // below the package, whose modules it requires
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    execFileSync(process.execPath, [fromPackage.resolve('typescript/bin/tsc'), '--outDir', folder], {
      cwd: nodesPackage,
      stdio: 'inherit',
    });
    built = folder;
  }
  return fromPackage(join(built, path)) as Module;
}

/** A package that the nodes use. */
export const packageOfNodes = <Module>(name: string): Module => fromPackage(name) as Module;
