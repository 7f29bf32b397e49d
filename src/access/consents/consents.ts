import type { ConsentEvent } from '../../events/consent-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle, load } from '../../stores/event-store/handle.js';
import { type Consent, type ConsentParties, consentDecider, consentIdOf, consentStream, covers } from './consent.js';
import { grantConsent } from './grant-consent.js';
import { withdrawConsent } from './withdraw-consent.js';

type Context = { readonly cause: Cause; readonly now: Date };

/** Whether the user has agreed to all these scopes. Throws the store's errors. */
export async function hasConsented(
  store: EventStore,
  parties: ConsentParties,
  scopes: readonly string[],
): Promise<boolean> {
  return covers(await findConsent(store, consentIdOf(parties)), scopes);
}

/** Records that the user has agreed. Throws the errors of `handle`. */
export async function recordConsent(
  store: EventStore,
  granted: ConsentParties & { readonly scopes: readonly string[] },
  context: Context,
): Promise<void> {
  const stream = consentStream(consentIdOf(granted));
  const command = { ...granted, now: context.now };
  await handle(store, stream, consentDecider, (consent) => grantConsent(command, consent), context);
}

/** Throws `ConsentNotFound` and the errors of `handle`. */
export const endConsent = (
  store: EventStore,
  consentId: string,
  context: Context,
): Promise<Handled<Consent, ConsentEvent>> =>
  handle(
    store,
    consentStream(consentId),
    consentDecider,
    (consent) => withdrawConsent({ consentId, now: context.now }, consent),
    context,
  );

/** State `none` if there is none. Throws the store's errors. */
export const findConsent = async (store: EventStore, consentId: string): Promise<Consent> =>
  (await load(store, consentStream(consentId), consentDecider)).state;
