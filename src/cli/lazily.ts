/** An action whose module is loaded when its command runs, so that help and other commands do not load it. */
export const lazily =
  <Args extends readonly unknown[]>(load: () => Promise<(...args: Args) => Promise<void>>) =>
  async (...args: Args): Promise<void> => {
    const action = await load();
    await action(...args);
  };
