import type { Inputs } from './model.js';
import type { MongoDbRates } from './mongodb-rates.js';

/** Commands to MongoDB of an event with two deliveries. */
export type Asked = { inserts: number; updates: number; finds: number };

export type CeilingInputs = {
  instance: Inputs;
  mongoDb: MongoDbRates;
  asked: Asked;
  /** Events a second that an instance fans out for organisations that it does not remember, with 4 ms a read. */
  fanOut: number;
};

export type Ceiling = {
  part: string;
  formula: string;
  inputs: Readonly<Record<string, number>>;
  /** Used of what the part can do; 1 is its ceiling. */
  share: number;
};

const goal = { instances: 20, events: 5_000, deliveries: 2, partitions: 32, nodes: 3, slots: 256, answerSeconds: 0.2 };
/** Rates of a real server 23.10.8 beside its caller on two cores, with its bare client: docs/scaling.md. */
const eventStoreDb = { appends: 5_400, reads: 50_000 };

/** Each server and each instance on cores of its own, those of an instance at least one. */
export function ceilings({ instance, mongoDb, asked, fanOut }: CeilingInputs): readonly Ceiling[] {
  const { instances, events, deliveries, partitions, nodes, slots, answerSeconds } = goal;
  const busiest = Math.ceil(partitions / instances) / partitions;
  const own = events * busiest;
  const event = instance.doubled.instances;
  const { history: read } = instance.reading; // an instance that reads thousands a second finds many at once
  const rest = instance.rest.instances;
  return [
    {
      part: 'processor of the busiest instance, one core',
      formula: '(events × busiest × ms an event + events × (1 - busiest) × ms a read + rest) ÷ 1000',
      inputs: { events, busiest, 'ms an event': event, 'ms a read': read, rest },
      share: (own * event + (events - own) * read + rest) / 1_000,
    },
    {
      part: 'fan-out of the busiest instance',
      formula: 'events × busiest ÷ fan-out',
      inputs: { events, busiest, 'fan-out': fanOut },
      share: own / fanOut,
    },
    {
      part: 'posts of all instances',
      formula: 'events × deliveries × seconds of an answer ÷ (instances × slots)',
      inputs: { events, deliveries, 'seconds of an answer': answerSeconds, instances, slots },
      share: (events * deliveries * answerSeconds) / (instances * slots),
    },
    {
      part: "EventStoreDB's leader: appends",
      formula: 'events ÷ appends',
      inputs: { events, appends: eventStoreDb.appends },
      share: events / eventStoreDb.appends,
    },
    {
      part: "EventStoreDB's nodes: subscriptions",
      formula: 'instances × events ÷ (nodes × reads): the server reads all for each, and sends an instance its own',
      inputs: { instances, events, nodes, reads: eventStoreDb.reads },
      share: (instances * events) / (nodes * eventStoreDb.reads),
    },
    {
      part: "MongoDB's primary",
      formula: 'events × (inserts ÷ insert rate + updates ÷ update rate + finds ÷ find rate)',
      inputs: {
        events,
        ...asked,
        'insert rate': mongoDb.inserts,
        'update rate': mongoDb.updates,
        'find rate': mongoDb.finds,
      },
      share: events * (asked.inserts / mongoDb.inserts + asked.updates / mongoDb.updates + asked.finds / mongoDb.finds),
    },
  ];
}
