import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names of all files in a directory, and in those within it, that have one of the texts somewhere. */
export const filesWith = (directory: string, texts: readonly string[]): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const content = readFileSync(path);
      return texts.some((text) => content.includes(text));
    });
