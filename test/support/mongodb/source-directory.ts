import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The project's own directory, whether this runs from the sources or from `dist`, where tsc copies neither Java nor
 * XML.
 */
function projectDirectory(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) {
    if (directory === dirname(directory)) throw new Error(`no package.json above ${import.meta.dirname}`);
    directory = dirname(directory);
  }
  return directory;
}

/** The directory of `StandIn.java` and `pom.xml`. */
export const sourceDirectory = () => join(projectDirectory(), 'test', 'support', 'mongodb');
