import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BSON, type Db, type Document, type IndexDescription } from 'mongodb';
import type { DeliveryState } from '../../../src/queue/delivery.js';

/** Recorded with release 1.0.0: see README.md there. */
const folder = resolve('test/support/releases/data-1.0.0/queue');
const unzipped = (name: string): Buffer => gunzipSync(readFileSync(join(folder, name)));

/** The answers of release 1.0.0. Names of events begin with those of their listeners. */
export type RecordedDeliveries = {
  noon: number;
  listeners: Readonly<Record<string, string>>;
  replays: { cancelled: string; running: string };
  /** Names of the events whose attempts were under way when their process was killed, whatever their state. */
  leased: readonly string[];
  /** Position of the checkpoints of the fan-out. */
  position: string;
  deliveries: readonly (readonly [event: string, state: DeliveryState, attempts: number, lastStatus: number | null])[];
  days: readonly (readonly [string, string, number, number, number, number])[];
  halfHours: readonly (readonly [number, string, number, number, number])[];
  activity: readonly (readonly [number, number, number, number, number])[];
};

export const recordedDeliveries = (): RecordedDeliveries =>
  JSON.parse(readFileSync(join(folder, 'recorded.json'), 'utf8')) as RecordedDeliveries;

/** Puts the recorded `deliveries.db` into a directory. */
export const restoreDeliveriesFile = (directory: string): void =>
  writeFileSync(join(directory, 'deliveries.db'), unzipped('deliveries.db.gz'));

type RecordedCollection = {
  name: string;
  indexes: readonly (IndexDescription & { v: number })[];
  documents: readonly Document[];
};

/**
 * Writes the recorded collections into a database, with their indexes. `leasesEndInMs`: after which the leases of the killed instance
 * expire; undefined: they have expired.
 */
export async function restoreDeliveriesDocuments(db: Db, leasesEndInMs?: number): Promise<void> {
  const at = leasesEndInMs === undefined ? undefined : new Date(Date.now() + leasesEndInMs);
  for (const line of unzipped('mongodb.ejson.gz').toString().split('\n').filter(Boolean)) {
    const { name, documents } = BSON.EJSON.parse(line, { relaxed: false }) as RecordedCollection; // numbers keep their types
    const { indexes } = BSON.EJSON.parse(line) as RecordedCollection;
    const added = indexes.flatMap(({ v: _, ...index }) => (index.name === '_id_' ? [] : [index]));
    if (added.length > 0) await db.collection(name).createIndexes([...added]);
    if (documents.length > 0)
      await db.collection(name).insertMany(at ? documents.map((each) => leasedUntil(each, at)) : [...documents]);
  }
}

/** Row of a delivery under lease, or of a listener with a lock. */
function leasedUntil(row: Document, at: Date): Document {
  if (row.turn) return { ...row, turn: { ...row.turn, until: at } };
  if (!row.lease) return row;
  return { ...row, leasableAt: at, ...(row.leaseCheckAt && { leaseCheckAt: at }) };
}
