/**
 * Environment that a test passes on to the processes that it starts: the programs, and the directory with compiled code, which
 * `test/support/run` names so that not every process compiles the same modules anew. None of the settings.
 */
export const ownEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
});
