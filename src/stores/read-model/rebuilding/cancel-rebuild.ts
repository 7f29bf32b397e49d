import type { Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import { RebuildUnderWay } from '../rebuild-errors.js';
import type { RebuildClaim } from '../rebuilds.js';

/** `asked`: whoever rebuilds it gives up within moments. `dropped`: nobody did, and what was left unfinished is gone. */
export type Cancelled = 'asked' | 'dropped' | 'none';

/** Cancels the rebuild of a view, whichever process is at it. The live build stays what it was. */
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
    // The live one was about to be finished: it is no longer anybody's to drop.
    if (build !== undefined && build !== (await readModel.live(projection))) await readModel.drop(build);
    await claim.end();
    return build === undefined ? 'none' : 'dropped'; // it may have ended meanwhile
  } catch (error) {
    await claim.release().catch(() => undefined); // or it is known to be dead soon
    throw error;
  }
}
