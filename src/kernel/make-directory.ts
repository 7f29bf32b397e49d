import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Node's recursive mkdir never returns on a file system that refuses directories with "no such path", such as /proc.
 */
export function makeDirectory(path: string, mode?: number): void {
  if (!existsSync(dirname(path))) makeDirectory(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isDirectory(path)) throw error;
  }
}

const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
