import { endConsent } from '../../access/consents/consent.js';
import { findConsents } from '../../admin/audit/find-consents.js';
import { indexedStreams } from '../../admin/audit/find-streams.js';
import { canonicalUuid, opaqueId } from '../../kernel/input/texts.js';
import type { CommandContext } from '../context.js';
import { printResult, printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';

export async function list(options: object, { output, withStores }: CommandContext): Promise<void> {
  const query = parseOptions({ orgId: opaqueId, userId: opaqueId.optional() }, options);
  const consents = await withStores(async (stores) => {
    const store = await stores.events();
    return findConsents(store, indexedStreams(store, await stores.readModel()), query);
  });
  printRows(
    output,
    consents,
    {
      consent: 'consentId',
      state: 'state',
      user: 'userId',
      client: 'clientId',
      scopes: ({ scopes }) => scopes.join(' '),
      'granted at': 'grantedAt',
      'withdrawn at': (consent) => (consent.state === 'withdrawn' ? consent.withdrawnAt : ''),
    },
    `no user has agreed to anything in ${query.orgId}`,
  );
}

export async function withdraw(
  consentId: string,
  _: object,
  { output, withEventStore, causeNow }: CommandContext,
): Promise<void> {
  const id = canonicalUuid(consentId);
  const { state, events } = await withEventStore((store) => endConsent(store, id, causeNow()));
  printResult(output, { ...state, changed: events.map(({ type }) => type) }, `consent ${id} is ${state.state}`);
}
