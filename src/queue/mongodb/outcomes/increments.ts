import type { Collection, OptionalUnlessRequiredId, UpdateFilter } from 'mongodb';
import { byId, insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';

/** Changes by the names of the fields. */
export type Changes = Readonly<Record<string, number>>;

type Counted = { _id: string | Date };
type Pending<Row> = { zeros: Row; changes: Record<string, number> };

/** Maximum number of documents remembered as existing, to bound memory. */
const maxKnown = 10_000;

/** Increments of documents, summed in memory until they are written. */
export class Increments<Row extends Counted> {
  private pending = new Map<number | string, Pending<Row>>();
  private readonly known = new Set<number | string>();

  constructor(
    private readonly collection: Collection<Row>,
    /** Called when this process has inserted documents. */
    private readonly onInserted: (rows: readonly Row[]) => Promise<unknown> = async () => undefined,
  ) {}

  /** `zeros`: the document as it is inserted if it is missing. Returns false if nothing changes. */
  add(zeros: Row, changes: Changes): boolean {
    const changed = Object.entries(changes).filter(([, change]) => change !== 0);
    if (changed.length === 0) return false;
    const key = keyOf(zeros);
    const sum = this.pending.get(key) ?? { zeros, changes: {} };
    for (const [name, change] of changed) sum.changes[name] = (sum.changes[name] ?? 0) + change;
    this.pending.set(key, sum);
    return true;
  }

  /** A failed write is repeated with the next one: one that was executed all the same then counts twice. */
  async write(): Promise<void> {
    const written = [...this.pending.values()];
    if (written.length === 0) return;
    this.pending.clear();
    try {
      await this.insertMissing(written.map(({ zeros }) => zeros));
      const updates = written.flatMap(({ zeros, changes }) => {
        const $inc = Object.fromEntries(Object.entries(changes).filter(([, change]) => change !== 0));
        if (Object.keys($inc).length === 0) return [];
        return [{ filter: { _id: zeros._id } as never, update: { $inc } as unknown as UpdateFilter<Row> }]; // names of its fields
      });
      if (updates.length > 0) await updateEach(this.collection, updates, { writeConcern: { w: 1 } });
    } catch (error) {
      for (const { zeros, changes } of written) this.add(zeros, changes);
      throw error;
    }
  }

  /** Inserts before updates, so that writers never race to create a document. */
  private async insertMissing(rows: readonly Row[]): Promise<void> {
    const unknown = rows.filter((row) => !this.known.has(keyOf(row))).sort(byId);
    if (unknown.length === 0) return;
    const rowsToInsert = unknown as unknown as readonly OptionalUnlessRequiredId<Row>[]; // all have their IDs
    const existing = (await insertNew(this.collection, rowsToInsert)) as unknown as readonly Row[];
    if (this.known.size + unknown.length > maxKnown) this.known.clear();
    for (const row of unknown) this.known.add(keyOf(row));
    const inserted = unknown.filter((row) => !existing.includes(row));
    if (inserted.length > 0) await this.onInserted(inserted);
  }
}

const keyOf = ({ _id }: Counted): number | string => (_id instanceof Date ? _id.getTime() : _id);
