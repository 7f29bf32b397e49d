import { createReadStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError, InvalidRequest } from '../../kernel/domain-error.js';
import { StoreUnavailable, StoreUnusable } from '../../kernel/store-errors.js';
import { UsageError } from '../failure.js';
import { counted, type Output, printResult, visible } from '../output.js';
import { progressOf } from '../progress.js';
import { type Line, readLines } from './read-lines.js';

/** Lines were refused, and the others imported. */
class LinesRefused extends DomainError {
  readonly code = 'lines_refused';
}

/** Maximum number of lines under way: their appends share the syncs of the embedded store, and EventStoreDB is not made busy. */
const concurrency = 100;

/** Pauses before a line is tried again: a store that does not answer for a while, as in an election, ends no long import. */
const retryAfterMs = [1_000, 2_000, 4_000, 8_000];

/** True if the line was imported, false if it was there. */
type ImportLine = (line: unknown) => Promise<boolean>;

/**
 * Imports each line of a file, and prints the refused ones in their order and the counts. Nothing is kept of the progress: lines that are there
 * already are recognised. Throws `LinesRefused` at the end, and at once the error of a store that stays unavailable.
 */
export async function importLines(
  file: string,
  { output, dryRun = false }: { output: Output; dryRun?: boolean },
  importLine: ImportLine,
): Promise<void> {
  const total = await countLines(file);
  const counts = { lines: 0, blank: 0, imported: 0, alreadyThere: 0, refused: 0 };
  const progress = progressOf({ json: output.json, write: (line) => process.stderr.write(`${line}\n`) });

  /** The text to print for a line that is refused. */
  async function importOne(line: Line): Promise<string | undefined> {
    try {
      counts[(await patiently(() => importLine(parsed(line)))) ? 'imported' : 'alreadyThere'] += 1;
      return undefined;
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof StoreUnavailable || error instanceof StoreUnusable)
        throw error;
      counts.refused += 1;
      const refusal = { line: line.number, error: error.code, message: error.message };
      return output.json ? JSON.stringify(refusal) : visible(`line ${line.number} refused: ${error.message}`);
    }
  }

  let underWay: Promise<string | undefined>[] = [];
  const settle = async () => {
    for (const refused of await Promise.all(underWay)) if (refused !== undefined) output.write(refused);
    underWay = [];
    progress.report(dryRun ? 'checking' : 'importing', counts.lines, total);
  };
  try {
    for await (const line of readLines(file)) {
      counts.lines += 1;
      if ('text' in line && line.text.trim() === '') counts.blank += 1;
      else underWay.push(importOne(line));
      if (underWay.length >= concurrency) await settle();
    }
    await settle();
  } finally {
    progress.end();
  }
  const { lines, blank, imported, alreadyThere, refused } = counts;
  const sentence = `${counted(lines, 'line')}: ${imported} ${dryRun ? 'would be imported' : 'imported'}, ${alreadyThere} there already, ${refused} refused${blank > 0 ? `, ${blank} blank` : ''}`;
  printResult(output, { dryRun, ...counts }, sentence);
  if (refused > 0) throw new LinesRefused(`${counted(refused, 'line was', 'lines were')} refused`);
}

async function patiently<Result>(step: () => Promise<Result>): Promise<Result> {
  for (const waitMs of retryAfterMs) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await pause(waitMs);
    }
  }
  return step();
}

function parsed(line: Line): unknown {
  if ('problem' in line) throw new InvalidRequest(line.problem);
  try {
    return JSON.parse(line.text);
  } catch {
    throw new InvalidRequest('the line is not JSON');
  }
}

const newline = 10;

async function countLines(file: string): Promise<number> {
  let count = 0;
  try {
    for await (const chunk of createReadStream(file))
      for (const byte of chunk as Buffer) if (byte === newline) count += 1;
  } catch (error) {
    throw new UsageError(`the file cannot be read: ${(error as Error).message}`);
  }
  return count;
}
