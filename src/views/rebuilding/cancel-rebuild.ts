import { RebuildUnderWay } from '../errors.js';
import type { Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import type { RebuildClaim } from '../rebuilds.js';

/** `asked`: the rebuilding process stops soon. `dropped`: none was running, and the unfinished build is gone. */
type Cancelled = 'asked' | 'dropped' | 'none';

/** Cancels a rebuild in any process. The live build is unchanged. */
export async function cancelRebuild(readModel: ReadModel, projection: Projection): Promise<Cancelled> {
  if (!(await readModel.rebuilds.find(projection))) return 'none';
  await readModel.rebuilds.cancel(projection);
  try {
    return await dropLeft(readModel, projection, await readModel.rebuilds.claim(projection));
  } catch (error) {
    if (error instanceof RebuildUnderWay) return 'asked';
    throw error;
  }
}

async function dropLeft(readModel: ReadModel, projection: Projection, claim: RebuildClaim): Promise<Cancelled> {
  try {
    const build = claim.left?.build;
    // The build was about to be finished and is now live: it must not be dropped.
    if (build !== undefined && build !== (await readModel.live(projection))) await readModel.drop(build);
    await claim.end();
    return build === undefined ? 'none' : 'dropped'; // it may have ended meanwhile
  } catch (error) {
    await claim.release().catch(() => undefined); // or its holder soon counts as dead
    throw error;
  }
}
