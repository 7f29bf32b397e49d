import { NotFound } from '../../../http/errors.js';
import { ListenerNotFound } from '../../../listeners/listener.js';
import type { FindListener } from '../../../listeners/queries/find-listener.js';
import type { Owner } from './admin-route.js';

/** The organisation of the listener that the path names; `message`: that of the error if there is no such listener. */
export const listenerOwner = (
  findListener: FindListener,
  message: string,
): Owner<{ readonly params: { readonly listenerId: string } }> => ({
  of: ({ params }) => orNotFound(async () => (await findListener(params.listenerId)).orgId, message),
  missing: () => new NotFound(message),
});

/** For a platform `ListenerNotFound` is a 500; for operators the requested resource is missing. */
export async function orNotFound<Result>(work: () => Promise<Result>, message: string): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ListenerNotFound ? new NotFound(message) : error;
  }
}
