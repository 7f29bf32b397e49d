const lookEveryMs = 250;

/**
 * Resolves once the `npx` that has started this process is gone; never, where none has. A signal to npx alone, as `kill $!`
 * sends it, goes to the shell between the two, which dies of it and tells nobody.
 */
export async function endOfNpx(): Promise<void> {
  if (process.env.npm_command !== 'exec') return new Promise(() => undefined);
  const shell = process.ppid;
  return new Promise((resolve) => {
    const looking = setInterval(() => {
      if (process.ppid === shell) return;
      clearInterval(looking);
      resolve();
    }, lookEveryMs).unref();
  });
}
