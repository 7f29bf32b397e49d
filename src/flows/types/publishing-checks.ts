import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { DomainError } from '../../kernel/domain-error.js';
import { withDoubles } from '../../kernel/input/exact-json.js';
import { type OrganisationSettings, organisationSettings } from '../../listeners/organisation-settings.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { CheckData } from './data-schema.js';
import { type EventTypeDefinition, eventTypeDecider, eventTypeStream } from './event-type.js';

/** Delay until a change applies in every instance. */
const memoryMs = 1_000;

/** Caches successful reads, by default for a second. */
export function remembered<Value>(
  max: number,
  read: (key: string) => Promise<Value>,
  values = new LRUCache<string, Promise<Value>>({ max, ttl: memoryMs }),
): (key: string) => Promise<Value> {
  return (key) => {
    const known = values.get(key);
    if (known) return known;
    const value = read(key);
    values.set(key, value);
    value.catch(() => values.delete(key));
    return value;
  };
}

/** Thrown where the organisation refuses mismatches. */
export class EventTypeMismatch extends DomainError {
  readonly code = 'event_type_mismatch';
}

type Published = { type: string; data: unknown };

/**
 * Resolves with a warning where a declared type does not match. Throws `EventTypeMismatch` where the organisation
 * refuses it, and the store's errors.
 */
export type CheckPublished = (orgId: string, event: Published) => Promise<string | undefined>;

export type EventTypeMismatched = {
  orgId: string;
  type: string;
  reason: string;
  outcome: 'warned' | 'refused';
};

const maxOrganisations = 10_000;
const maxTypes = 1_000;

type Checked = { version: number; check: CheckData };

export function publishingChecks(
  store: EventStore,
  onMismatch: (mismatch: EventTypeMismatched) => void = () => undefined,
  /** Reads the settings of an organisation once and after each of their changes, until `signal` aborts. */
  following?: { signal: AbortSignal; log: Logger },
): CheckPublished {
  const settings = new LRUCache<string, Promise<OrganisationSettings>>({
    max: maxOrganisations,
    ...(!following && { ttl: memoryMs }),
  });
  const settingsOf = remembered(maxOrganisations, (orgId) => organisationSettings(store, orgId), settings);
  if (following) void forgetChanged(settings, store, following);
  const compiled = new LRUCache<string, Checked>({ max: maxTypes });
  const types = remembered(maxTypes, async (name): Promise<Checked | undefined> => {
    const { state } = await load(store, eventTypeStream(name), eventTypeDecider);
    if (state.state !== 'declared' || state.definition.schema === null) return undefined;
    const known = compiled.get(name);
    if (known?.version === state.definition.version) return known;
    const checked = { version: state.definition.version, check: await checkOf(state.definition) };
    compiled.set(name, checked);
    return checked;
  });

  return async (orgId, { type, data }) => {
    const { eventTypeCheck: mode } = await settingsOf(orgId);
    if (mode === 'off') return undefined;
    const declared = await types(type);
    const reason = declared?.check(withDoubles(data));
    if (declared === undefined || reason === undefined) return undefined;
    const text = `${reason} (event type ${type}, version ${declared.version})`;
    onMismatch({ orgId, type, reason, outcome: mode === 'refuse' ? 'refused' : 'warned' });
    if (mode === 'refuse') throw new EventTypeMismatch(text);
    return text;
  };
}

async function forgetChanged(
  settings: LRUCache<string, Promise<OrganisationSettings>>,
  store: EventStore,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<void> {
  let hasBegun = false;
  try {
    for await (const { events } of store.subscribe({ from: 'end', filter: { categories: ['organisation'] }, signal })) {
      if (!hasBegun) settings.clear(); // what was read before the subscription began may have changed since
      hasBegun = true;
      for (const { data } of events) settings.delete(String((data as { orgId?: unknown }).orgId));
    }
  } catch (error) {
    log.warn({ err: error }, 'settings of organisations are not followed: they are read each second');
    settings.ttl = memoryMs;
    settings.clear();
  }
}

async function checkOf({ schema, name, version }: EventTypeDefinition): Promise<CheckData> {
  const { compileSchema } = await import('./data-schema.js'); // slow to load; most services have no schemas
  try {
    return compileSchema(JSON.parse(schema ?? 'true'));
  } catch {
    // A later release accepted it before a downgrade: publish with a warning.
    return () => `the schema of ${name}, version ${version}, is not one that this release can apply`;
  }
}
