import type { Logger } from 'pino';
import { type BuildName, buildName, type Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';

export type DropBuilds = {
  readModel: ReadModel;
  projection: Projection;
  log: Logger;
  /** Minimum idle time of an earlier version. */
  idleMs: number;
};

type Seen = { position: bigint | undefined; since: number; ourPosition: bigint };

export function dropBuilds({ readModel, projection, log, idleMs }: DropBuilds) {
  /** The last state seen of each build, and since when it is unchanged. */
  const seen = new Map<BuildName, Seen>();

  async function drop(build: BuildName, why: string): Promise<void> {
    await readModel.drop(build);
    log.info({ projection: projection.name, build }, why);
  }

  async function judge(build: BuildName, ourPosition: bigint): Promise<void> {
    const position = await positionOf(build);
    const before = seen.get(build);
    const now = performance.now();
    if (!before || before.position !== position) {
      seen.set(build, { position, since: now, ourPosition });
      return;
    }
    // While there are no events, a build that is kept up to date stands still too.
    if (now - before.since < idleMs || ourPosition <= before.ourPosition) return;
    seen.delete(build);
    await drop(build, 'a build of an earlier version has been dropped: no release keeps it up to date');
  }

  /** Undefined for a build that cannot be read: it counts as idle. */
  const positionOf = async (build: BuildName): Promise<bigint | undefined> =>
    (await readModel.describe(build).catch(() => undefined))?.position;

  return {
    /** Later builds of this version stay: another process may be making them. */
    async earlierBuilds(live: BuildName): Promise<void> {
      const sameVersion = buildName(projection, '');
      const builds = await readModel.builds(projection);
      for (const build of builds.filter((one) => one.startsWith(sameVersion) && one < live)) {
        await drop(build, 'an earlier build of the view has been dropped');
      }
    },
    /**
     * Drops builds of earlier versions that no release keeps up to date any more, a day after a rolling update, in case of a
     * rollback. Call it repeatedly.
     */
    async earlierVersions(): Promise<void> {
      const ourPosition = (await readModel.position(projection)) ?? -1n;
      const builds = await readModel.builds(projection);
      for (const build of builds.filter((one) => versionOf(one) < projection.version)) await judge(build, ourPosition);
    },
  };
}

/** Version of a build; for other names, one that is never earlier. */
const versionOf = (build: BuildName): number => Number(/-v(\d+)-/.exec(build)?.[1] ?? Number.POSITIVE_INFINITY);
