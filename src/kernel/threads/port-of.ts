/** A port whose members are calls by name, all of which return promises, except those of `own`. */
export const portOf = <Port extends object>(
  call: (name: keyof Port & string, ...args: never) => Promise<unknown>,
  own: Partial<Port> = {},
): Port =>
  new Proxy(own as Port, {
    get(_, name) {
      if (name in own || name === 'then') return Reflect.get(own, name); // a promise may resolve to the port
      return (...args: never) => call(name as keyof Port & string, ...args);
    },
  });
