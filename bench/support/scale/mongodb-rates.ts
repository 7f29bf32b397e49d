import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { MongoDatabase } from '../../../src/stores/mongodb/mongodb-database.js';
import { deliveredBody } from '../flow-events.js';

/** A second, of the server at hand, by parallel callers without a relay. */
export type MongoDbRates = { inserts: number; updates: number; finds: number };

type Row = { _id: string; state: string; body: string };

const parallel = 16;
const perCommand = 8;
const forMs = 3_000;

/** Documents of a delivery's size, in bulks as small as those of the service, with the write concern of its database. */
export async function measureMongoDb({ db }: Pick<MongoDatabase, 'db'>): Promise<MongoDbRates> {
  const rows = db.collection<Row>('bench-rates');
  const body = deliveredBody();
  const newRows = () => Array.from({ length: perCommand }, () => ({ _id: randomUUID(), state: 'waiting', body }));
  const inserted: Row[][] = [newRows()];
  await rows.insertMany(inserted[0] as Row[]);

  async function rateOf(command: (number: number) => Promise<unknown>): Promise<number> {
    let commands = 0;
    const began = performance.now();
    const caller = async () => {
      while (performance.now() < began + forMs) {
        commands += 1;
        await command(commands);
      }
    };
    await Promise.all(Array.from({ length: parallel }, caller));
    return commands / ((performance.now() - began) / 1_000);
  }

  const insert = async () => {
    const bulk = newRows();
    await rows.insertMany(bulk, { ordered: false });
    inserted.push(bulk);
  };
  const bulkAt = (number: number) => inserted[number % inserted.length] as Row[];
  const update = async (number: number) => {
    const bulk = bulkAt(number).map(
      ({ _id }): AnyBulkWriteOperation<Row> => ({
        updateOne: { filter: { _id }, update: { $set: { state: `${number}` } } },
      }),
    );
    await rows.bulkWrite(bulk, { ordered: false });
  };
  const find = async (number: number) => rows.find({ _id: bulkAt(number)[0]?._id ?? '' }).toArray();

  const inserts = perCommand * (await rateOf(insert));
  const updates = perCommand * (await rateOf(update));
  return { inserts, updates, finds: await rateOf(find) };
}
