import { NotFound } from '../../../http/errors.js';
import { ListenerNotFound } from '../../../registrations/listeners/listener.js';
import type { FindHook } from '../../../registrations/listeners/queries/find-hook.js';
import type { Owner } from './handle.js';

/** The organisation of the hook that the path names; `message`: that of the error if there is no such hook. */
export const hookOwner = (
  findHook: FindHook,
  message: string,
): Owner<{ readonly params: { readonly listenerId: string } }> => ({
  of: ({ params }) => orNotFound(async () => (await findHook(params.listenerId)).orgId, message),
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
