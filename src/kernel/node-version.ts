/** Minimum, as `engines` in package.json. */
export const oldestNodeLine = 22;

/**
 * Exits with code 2 if this Node is too old; before any other module is loaded, since better-sqlite3 crashes Node 20.
 * `command`: the one that works instead (npm and npx find the Node that the project installs).
 */
export function refuseOldNode(command: string): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= oldestNodeLine) return;
  process.stderr.write(
    `flow-hooks: needs Node ${oldestNodeLine} or later, and this is ${node}: use \`${command}\`, which runs on the Node that npm installs with it\n`,
  );
  process.exit(2);
}
