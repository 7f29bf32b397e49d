/** Ends one thing that has been opened. */
export type Close = () => Promise<void> | void;

/** Closes the last of them first, and all of them, whatever fails. Throws the first failure then. */
export async function closeAll(opened: readonly Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of [...opened].reverse()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Does the work and closes all that it has opened, whatever comes of it. Throws the first failure, which may be the work's. */
export async function closingAll<Result>(work: (onOpened: (close: Close) => void) => Promise<Result>): Promise<Result> {
  const opened: Close[] = [];
  const close = () => closeAll(opened);
  const result = await work((each) => opened.push(each)).catch(async (error) => {
    await close().catch(() => undefined); // what the work failed with is what counts
    throw error;
  });
  await close();
  return result;
}
