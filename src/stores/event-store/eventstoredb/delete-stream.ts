import { StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import { WrongExpectedRevision } from '../errors.js';
import { resultIfExists } from '../read-if-exists.js';
import { type AppendDependencies, callLeader } from './append.js';
import { AccessRefused, accessRefused, isTransient, type Right } from './failures.js';
import { erasureMark, isErasureMark } from './reading/recorded-event.js';
import { type RetryBudget, retryBudget } from './retry-budget.js';

/**
 * Deletes so that a scavenge removes all events (decision 8): deletes the stream, recreates it with an erasure mark
 * alone, deletes that. Each step expects the revision of the step before, in case the stream is created again in
 * between; after a failure it reads the stream to find the next step.
 */
export function deleteStreamWith(dependencies: AppendDependencies) {
  const { reader, timing, calls } = dependencies;
  const { remove, mark } = deletionCalls(dependencies);
  const lastOf = (stream: string, budget: RetryBudget) => resultIfExists(reader.last(stream, budget), undefined);

  /** Returns after a transient failure; throws for a conflict or missing rights. */
  async function beforeNextTry(error: unknown, budget: RetryBudget): Promise<void> {
    if (error instanceof AccessRefused) throw budget.giveUp(error);
    if (!(error instanceof WrongExpectedVersionError) && !isTransient(error)) throw error;
    await budget.afterFailure(error);
  }

  /** Appends and deletes the mark of a stream deleted at this revision. False where the stream is in another state. */
  async function finish(stream: string, deletedAt: bigint, budget: RetryBudget): Promise<boolean> {
    for (;;) {
      const last = await lastOf(stream, budget);
      if (last && !isErasureMark(last)) return false;
      try {
        const markedAt = last?.revision ?? (await mark(stream, deletedAt, budget));
        if (markedAt === undefined) return false;
        await remove(stream, markedAt, budget);
        return true;
      } catch (error) {
        if (error instanceof WrongExpectedVersionError || error instanceof StreamDeletedError) return false;
        await beforeNextTry(error, budget);
      }
    }
  }

  async function deleteStream(stream: string, expectedRevision: bigint | undefined): Promise<void> {
    const budget = retryBudget(timing, calls);
    let sentAt: bigint | undefined;
    for (;;) {
      const last = await lastOf(stream, budget);
      if (last === undefined || isErasureMark(last)) {
        const deletedAt = last?.revision ?? sentAt;
        if (deletedAt !== undefined) await finish(stream, deletedAt, budget);
        return;
      }
      if (expectedRevision !== undefined && expectedRevision !== last.revision) {
        throw new WrongExpectedRevision(stream, expectedRevision, last.revision);
      }
      try {
        sentAt = last.revision;
        await remove(stream, sentAt, budget);
        await finish(stream, sentAt, budget);
        return;
      } catch (error) {
        if (error instanceof StreamDeletedError) return;
        await beforeNextTry(error, budget);
      }
    }
  }

  return {
    deleteStream,
    finish: async (stream: string, revision: bigint) => finish(stream, revision, retryBudget(timing, calls)),
    /** Deletes the mark of an interrupted deletion; false if there is none. */
    async complete(stream: string, budget: RetryBudget): Promise<boolean> {
      const last = await lastOf(stream, budget);
      if (!last || !isErasureMark(last)) return false;
      await finish(stream, last.revision, budget);
      return true;
    },
  };
}

function deletionCalls(dependencies: AppendDependencies) {
  const { connection } = dependencies;
  const call = <Result>(budget: RetryBudget, needs: Right, send: Parameters<typeof callLeader<Result>>[2]) =>
    callLeader(dependencies, budget, send).catch((error: unknown) => {
      throw accessRefused(error, needs) ?? error;
    });

  const remove = (stream: string, expectedRevision: bigint, budget: RetryBudget) =>
    call(budget, 'delete streams', (options) => connection.deleteStream(stream, { ...options, expectedRevision }));

  /** The mark's revision; undefined where the stream already had it, and is deleted. */
  async function mark(stream: string, deletedAt: bigint, budget: RetryBudget): Promise<bigint | undefined> {
    const { nextExpectedRevision, position } = await call(budget, 'append to streams', (options) =>
      connection.appendToStream(stream, erasureMark(stream, deletedAt), { ...options, expectedRevision: deletedAt }),
    );
    return position && nextExpectedRevision;
  }

  return { remove, mark };
}
