/** Error of a rejected promise; fails if it is not rejected. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (!outcome) throw new Error('expected a rejection, but it was fulfilled');
  return outcome.error;
}
