import type { ReadModel } from '../../../src/views/read-model.js';

/** The same read model, and how many of the builds that are opened by it have not been closed. */
export function countingOpen(readModel: ReadModel): { counted: ReadModel; open: () => number } {
  let open = 0;
  const counted: ReadModel = {
    ...readModel,
    async open(...args) {
      const build = await readModel.open(...args);
      open += 1;
      const close = async () => {
        await build.close();
        open -= 1;
      };
      return { ...build, close };
    },
  };
  return { counted, open: () => open };
}
