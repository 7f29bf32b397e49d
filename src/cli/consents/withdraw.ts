import type { Command } from 'commander';
import { endConsent } from '../../access/consents/consent.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';

/** `consents withdraw`: ends a consent. */
export async function withdraw(consentId: string, _: object, command: Command): Promise<void> {
  const { output, withStores, cause } = contextOf(command);
  const id = canonicalUuid(consentId);
  const { state, events } = await withStores(async (stores) =>
    endConsent(await stores.events(), id, { cause, now: new Date() }),
  );
  printResult(output, { ...state, changed: events.map(({ type }) => type) }, `consent ${id} is ${state.state}`);
}
