import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Communication } from './communicate.js';

type CodeFiles = Readonly<Record<string, string | null>>;

type Component = {
  label: string;
  description?: string;
  moduleType?: string;
  connection?: string;
  webhook?: string;
  codeFiles: CodeFiles;
};

type ComponentType = 'connection' | 'webhook' | 'module' | 'rpc';

/** `makecomapp.json`: https://github.com/integromat/vscode-apps-sdk, README-local-development-for-apps.md. */
export type Manifest = {
  generalCodeFiles: CodeFiles;
  components: Readonly<Record<ComponentType | 'function' | 'endpoint', Readonly<Record<string, Component>>>>;
};

export const appFolder = resolve('platforms/make'); // compiled tests are in `dist`

const read = (path: string): unknown => JSON.parse(readFileSync(resolve(appFolder, path), 'utf8'));

export const manifest = read('makecomapp.json') as Manifest;

/** A JSON file of a component, such as the `communication` of a module. Throws if there is none. */
export function codeOf<Code>(type: ComponentType, name: string, code: string): Code {
  const path = manifest.components[type][name]?.codeFiles[code];
  if (!path) throw new Error(`the ${type} ${name} has no ${code}`);
  return read(path) as Code;
}

/** The requests of a module, one after the other: https://developers.make.com/custom-apps-documentation/app-blocks/api/multiple-requests. */
export const requestsOf = (module: string): readonly Communication[] =>
  [codeOf<Communication | readonly Communication[]>('module', module, 'communication')].flat();

export const base = read(manifest.generalCodeFiles.base ?? '') as Communication;
