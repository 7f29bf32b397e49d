const lookEveryMs = 250;

/** As this process begins: a start takes a while, in which it may go. */
const parent = process.ppid;

/**
 * Resolves once the `npm start` or `npx` that has started this process is gone; never, where none has. A signal to it alone,
 * as `kill $!` sends it, goes to the shell between the two, which dies of it and tells nobody.
 */
export async function endOfNpm(): Promise<void> {
  if (!['start', 'npx'].includes(process.env.npm_lifecycle_event ?? '')) return new Promise(() => undefined);
  return new Promise((resolve) => {
    const looking = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(looking);
      resolve();
    }, lookEveryMs).unref();
  });
}
