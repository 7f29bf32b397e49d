import { z } from 'zod';
import { listenersView } from '../../projections/listeners.js';
import {
  afterStreamsOf,
  type OrganisationStream,
  organisationStreams,
} from '../../projections/organisation-streams.js';
import { inBatches } from '../kernel/in-batches.js';
import { open } from '../views/projection.js';
import type { ReadModel } from '../views/read-model.js';

const maxListeners = 10_000;

/** Organisation with a listener, session, consent, task, setting or API key, now or in the past. */
export const knownOrganisation = z
  .strictObject({
    orgId: z.string(),
    listeners: z.int().describe(`Active and paused listeners, counted up to ${maxListeners}.`),
  })
  .meta({ id: 'Organisation' });

type KnownOrganisation = Readonly<z.output<typeof knownOrganisation>>;

export type OrganisationQuery = {
  prefix?: string;
  after?: string;
  limit: number;
};

/**
 * Organisations by the UTF-8 bytes of their IDs; one lookup for each. Throws `StoreUnavailable` where a view has not
 * been built.
 */
export async function listOrganisations(
  readModel: ReadModel,
  { prefix = '', after, limit }: OrganisationQuery,
): Promise<readonly KnownOrganisation[]> {
  const found: string[] = [];
  // A key is longer than its organisation's ID, so it sorts after the prefix.
  for (let from = after === undefined ? prefix : afterStreamsOf(after); found.length < limit; ) {
    const [next] = await readModel.find(organisationStreams, { where: {}, limit: 1, after: from || undefined });
    const { orgId } = (next?.document ?? {}) as Partial<OrganisationStream>; // the projection wrote it
    if (orgId === undefined || !orgId.startsWith(prefix)) break;
    found.push(orgId);
    from = afterStreamsOf(orgId);
  }
  return inBatches(found, async (orgId) => ({
    orgId,
    listeners: await readModel.count(listenersView, { orgId, until: open }, maxListeners),
  }));
}
