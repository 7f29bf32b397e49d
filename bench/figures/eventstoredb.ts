import { randomUUID } from 'node:crypto';
import { type EventData, EventStoreDBClient, jsonEvent, streamNameFilter } from '@eventstore/db-client';
import type { NewEvent } from '../../src/stores/event-store/event-store.js';
import { parseConnectionString } from '../../src/stores/event-store/eventstoredb/connection/connection-string.js';
import { openEventStoreDb } from '../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { rateOf } from '../processes/processes.js';
import { mediansInTurns } from '../support/in-turns.js';
import { report } from '../support/report.js';
import { startEventStoreDb } from '../support/servers.js';

const callers = 64;
const rounds = { count: 8, appends: 3_000 };
const history = { rounds: 8, events: 50_000, perAppend: 500 };

const { url, name: server, stop } = await startEventStoreDb();

const store = openEventStoreDb({ url });
const client = EventStoreDBClient.connectionString(url);
const category = `bench${randomUUID().replaceAll('-', '')}`;

const newEvent = (): NewEvent => ({
  id: randomUUID(),
  type: 'flow.completed',
  data: { orgId: 'org-1', flowId: randomUUID(), result: 'a result of some length, as flows have them', steps: 12 },
  metadata: { actor: 'bench', schemaVersion: 1, recordedAt: new Date().toISOString(), $correlationId: randomUUID() },
});
const asClientEvent = ({ id, type, data, metadata }: NewEvent): EventData =>
  jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: metadata as Record<string, unknown> });
const stream = (): string => `${category}-${randomUUID()}`;

/** An append is unary with credentials, as in the service; an insecure server gets none. */
const credentials = parseConnectionString(url).credentials ?? { username: 'none', password: 'none' };
const unary = { credentials, requiresLeader: true, deadline: 2_000 };

const appends = {
  ours: () => store.append(stream(), [newEvent()]),
  peer: () => client.appendToStream(stream(), asClientEvent(newEvent()), unary),
};

const appendRate = (append: () => Promise<unknown>): Promise<number> =>
  rateOf(callers, rounds.appends, async () => void (await append()));

async function writeHistory(): Promise<bigint> {
  const { position } = await store.append(stream(), [newEvent()]);
  for (let written = 0; written < history.events; written += history.perAppend)
    await store.append(stream(), Array.from({ length: history.perAppend }, newEvent));
  return position;
}

function catchUps(from: bigint) {
  const fromPosition = { commit: from, prepare: from };
  const filter = { categories: [category] };
  return {
    read: {
      async ours() {
        let seen = 0;
        for await (const _ of store.readAll({ from, limit: history.events })) seen += 1;
        return seen;
      },
      async peer() {
        let seen = 0;
        // The client's read includes the event at the position; ours does not.
        for await (const _ of client.readAll({ fromPosition, maxCount: history.events + 1 })) seen += 1;
        return seen - 1;
      },
    },
    subscription: {
      async ours() {
        let seen = 0;
        for await (const { events } of store.subscribe({ from, filter })) {
          seen += events.length;
          if (seen >= history.events) break;
        }
        return seen;
      },
      async peer() {
        let seen = 0;
        const prefixes = [category];
        const subscription = client.subscribeToAll({
          fromPosition,
          filter: streamNameFilter({ prefixes, maxSearchWindow: 512 }),
        });
        for await (const _ of subscription) {
          seen += 1;
          if (seen >= history.events) break;
        }
        await subscription.unsubscribe();
        return seen;
      },
    },
  };
}

async function readRate(read: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const seen = await read();
  if (seen !== history.events) throw new Error(`${seen} events were read instead of ${history.events}`);
  return seen / ((performance.now() - startedAt) / 1_000);
}

type Contest<Work> = { ours: Work; peer: Work };

async function compare<Work>(
  { figure, unit, turns }: { figure: string; unit: string; turns: number },
  contest: Contest<Work>,
  rate: (work: Work) => Promise<number>,
): Promise<void> {
  const sides = { ours: () => rate(contest.ours), peer: () => rate(contest.peer) };
  report({ figure, ...(await mediansInTurns({ rounds: turns }, sides)), unit, target: { atLeast: 0.8 }, server });
}

await compare(
  {
    figure: 'EventStoreDB: appends from 64 callers against the bare client, both unary',
    unit: 'appends/s',
    turns: rounds.count,
  },
  appends,
  appendRate,
);
const { read, subscription } = catchUps(await writeHistory());
await compare(
  {
    figure: 'EventStoreDB: reading 50,000 events of all against the bare client',
    unit: 'events/s',
    turns: history.rounds,
  },
  read,
  readRate,
);
await compare(
  {
    figure: 'EventStoreDB: catching up with 50,000 events by subscription against the bare client',
    unit: 'events/s',
    turns: history.rounds,
  },
  subscription,
  readRate,
);
await store.close();
await client.dispose();
await stop();
