import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are missing. Node's own way of doing so never ends where a file system takes no
 * directory and says that the path is not there, as /proc does.
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
