import { NotFound } from '../../../http/errors.js';
import { ListenerNotFound } from '../../../listeners/listener.js';
import type { FindListener } from '../../../listeners/queries/find-listener.js';
import type { Owner } from './admin-route.js';

export const listenerOwner = (
  findListener: FindListener,
  message: string,
): Owner<{ params: { listenerId: string } }> => ({
  of: ({ params }) => orNotFound(async () => (await findListener(params.listenerId)).orgId, message),
  missing: () => new NotFound(message),
});

/** `ListenerNotFound` is a 500 for platforms; here a 404. */
export async function orNotFound<Result>(work: () => Promise<Result>, message: string): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ListenerNotFound ? new NotFound(message) : error;
  }
}
