import { existsSync } from 'node:fs';
import { StoreDamaged } from '../../kernel/store-errors.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { type BuildName, type Projection, viewOf } from '../projection.js';
import { type BuildFile, BuildOfAnotherSchema, openBuildFile } from './build-file.js';

export type Reader = { build: BuildName; file: BuildFile };

export type Readers = {
  /** The caller closes it. */
  open: (projection: Projection, build: BuildName) => BuildFile;
  /**
   * The live build, or the one before while the live one is behind it: reads never go back in time. Undefined without a
   * live build, or for another schema version.
   */
  of: (projection: Projection) => Reader | undefined;
  forget: (build: BuildName) => void;
  close: () => void;
};

/** `liveBuild` returns the build that queries should go to, where its file exists. */
export function openReaders(
  pathOf: (build: BuildName) => string,
  liveBuild: (projection: Projection) => BuildName | undefined,
): Readers {
  const readers = new Map<string, Reader>(); // by view

  const open = (projection: Projection, build: BuildName): BuildFile => {
    const path = pathOf(build);
    return withStoreErrors(path, () => openBuildFile(path, projection, 'read'));
  };

  const openLive = (projection: Projection, build: BuildName): Reader | undefined => {
    try {
      return { build, file: open(projection, build) };
    } catch (error) {
      if (error instanceof BuildOfAnotherSchema) return undefined;
      throw error;
    }
  };

  return {
    open,
    of(projection) {
      const id = viewOf(projection);
      const live = liveBuild(projection);
      const current = readers.get(id);
      if (live === undefined) {
        readers.delete(id);
        current?.file.close();
        return undefined;
      }
      if (current?.build === live) return current;
      const next = openLive(projection, live);
      if (!next) return undefined;
      if (current && isBehind(next.file, current.file)) {
        next.file.close();
        return current;
      }
      readers.set(id, next);
      current?.file.close();
      return next;
    },
    forget(build) {
      for (const [id, reader] of readers) {
        if (reader.build !== build) continue;
        readers.delete(id);
        reader.file.close();
      }
    },
    close() {
      for (const { file } of readers.values()) file.close();
      readers.clear();
    },
  };
}

/** False where the current build was dropped or is damaged, whatever its position. */
function isBehind(next: BuildFile, current: BuildFile): boolean {
  const position = checkpointOf(next) ?? -1n;
  try {
    return existsSync(current.path) && position < (checkpointOf(current) ?? -1n);
  } catch (error) {
    if (error instanceof StoreDamaged) return false;
    throw error;
  }
}

const checkpointOf = ({ path, checkpoint }: BuildFile): bigint | undefined => withStoreErrors(path, checkpoint);
