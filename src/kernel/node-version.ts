/** The oldest release line of Node that the service runs on, as `engines` in package.json says. */
export const oldestNodeLine = 22;

/**
 * Ends the process with exit code 2 and one line on standard error if this Node is too old. Called before any other module
 * is loaded: better-sqlite3 ends a process of Node 20 with a segmentation fault.
 * @param command what works instead: npm's scripts and npx find the Node that the project installs
 */
export function refuseOldNode(command: string): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= oldestNodeLine) return;
  process.stderr.write(
    `flow-hooks: needs Node ${oldestNodeLine} or later, and this is ${node}: use \`${command}\`, which runs on the Node that npm installs with it\n`,
  );
  process.exit(2);
}
