/** What the promise rejects with; fails where it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (!outcome) throw new Error('expected a rejection, but it was fulfilled');
  return outcome.error;
}
