import {
  type QueueDump,
  type QueueRestore,
  type Section,
  type SectionDump,
  type SectionRestore,
  sections,
} from '../queue/queue-contents.js';
import { CopyDiffers } from './errors.js';

type OnRows = (done: number, total: number) => void;

/** Maps a position of the source to one of the target. */
type PositionOf = (position: bigint) => bigint;

export type QueueCounts = Readonly<Record<Section, number>>;

type Copying = { positionOf: PositionOf; onRows: OnRows };

/** Also completes an interrupted copy, and one of a changed source. */
export async function copyQueue(dump: QueueDump, queue: QueueRestore, { positionOf, onRows }: Copying): Promise<void> {
  const counted = counting(dump, onRows);
  await eachSection(async (section) => {
    await restoreSection(dump[section], queue[section], { positionOf, onRows: counted });
  });
}

/** Throws `CopyDiffers`, which names the first row. */
export async function verifyQueue(
  dump: QueueDump,
  queue: QueueRestore,
  { positionOf, onRows }: Copying,
): Promise<QueueCounts> {
  const counted = counting(dump, onRows);
  const counts: Partial<Record<Section, number>> = {};
  await eachSection(async (section) => {
    counts[section] = await verifySection(section, dump[section], queue[section], { positionOf, onRows: counted });
  });
  return counts as QueueCounts; // every section was counted
}

async function restoreSection<Row extends object>(
  from: SectionDump<Row>,
  to: SectionRestore<Row>,
  copying: { positionOf: PositionOf; onRows: (rows: number) => void },
): Promise<void> {
  async function restoreAll(onRows: (rows: number) => void): Promise<void> {
    for (const rows of from.batches()) {
      await to.restore(rows.map((row) => withTargetPosition(row, copying.positionOf)));
      onRows(rows.length);
    }
  }
  await restoreAll(copying.onRows);
  if ((await to.count()) === from.count()) return;
  await to.clear(); // an earlier copy has rows that the source has removed since
  await restoreAll(() => undefined);
}

async function verifySection<Row extends object>(
  section: Section,
  from: SectionDump<Row>,
  to: SectionRestore<Row>,
  { positionOf, onRows }: { positionOf: PositionOf; onRows: (rows: number) => void },
): Promise<number> {
  let total = 0;
  for (const rows of from.batches()) {
    const [first] = await to.differing(rows.map((row) => withTargetPosition(row, positionOf)));
    if (first) throw new CopyDiffers(`the copy is wrong: of ${names[section]}, ${nameOf(first)} differs`);
    total += rows.length;
    onRows(rows.length);
  }
  const copied = await to.count();
  if (copied !== total) {
    throw new CopyDiffers(`the copy is wrong: it has ${copied} ${names[section]}, the source ${total}`);
  }
  return total;
}

const names: Readonly<Record<Section, string>> = {
  messages: 'flow events to deliver',
  listeners: 'listeners',
  deliveries: 'deliveries',
  setAside: 'events that were set aside',
  waitingEvents: 'events that wait for the fan-out',
  cancelledReplays: 'replays that were cancelled',
  days: 'days of attempts',
  halfHours: 'half hours of attempts',
  activity: 'minutes of activity',
  stateCounts: 'counts by state',
  checkpoints: 'checkpoints',
};

/** Names a row by a key, never by a body or a hook URL. */
function nameOf(row: object): string {
  const names = ['id', 'eventId', 'listenerId', 'reader', 'state', 'replay', 'day', 'at', 'position'];
  const [field, value] = Object.entries(row).find(([name]) => names.includes(name)) ?? ['one', ''];
  return `${field} ${value}`;
}

const withTargetPosition = <Row extends { position?: bigint }>(row: Row, positionOf: PositionOf): Row =>
  row.position === undefined ? row : { ...row, position: positionOf(row.position) };

function counting(dump: QueueDump, onRows: OnRows): (rows: number) => void {
  const total = sections.reduce((sum, section) => sum + dump[section].count(), 0);
  let done = 0;
  return (rows) => {
    done += rows;
    onRows(done, total);
  };
}

async function eachSection(visit: <S extends Section>(section: S) => Promise<void>): Promise<void> {
  for (const section of sections) await visit(section);
}
