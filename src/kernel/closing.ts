export type Close = () => Promise<void> | void;

/** Closes all, the last one first, even if some fail. */
export async function closeInReverse(opened: readonly Close[], onFailure: (error: unknown) => void): Promise<void> {
  for (const close of [...opened].reverse()) {
    try {
      await close();
    } catch (error) {
      onFailure(error);
    }
  }
}

/** Closes all, the last one first, even if some fail; then throws the first failure. */
export async function closeAll(opened: readonly Close[]): Promise<void> {
  const failures: unknown[] = [];
  await closeInReverse(opened, (error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Runs the work, then closes the resources that it opened. Throws the first failure, which may be the work's. */
export async function closingAll<Result>(work: (onOpened: (close: Close) => void) => Promise<Result>): Promise<Result> {
  const opened: Close[] = [];
  const close = () => closeAll(opened);
  const result = await work((each) => opened.push(each)).catch(async (error) => {
    await close().catch(() => undefined); // the error of the work is the one to report
    throw error;
  });
  await close();
  return result;
}
