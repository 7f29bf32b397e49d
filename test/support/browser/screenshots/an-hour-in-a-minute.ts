// Loaded before the service (`node --import`), also into its threads: the clock begins an hour ago and runs sixty times as fast until
// it has caught up with the time. So the charts of the last hour show what the service itself has recorded.

const beganAt = Number(process.env.CLOCK_BEGAN_AT);
const hourMs = 3_600_000;
const minuteMs = 60_000;

const timeNow = Date.now.bind(Date);
const clock = (): number => {
  const now = timeNow();
  const caughtUpAt = beganAt + minuteMs;
  return now >= caughtUpAt ? now : Math.floor(caughtUpAt - (caughtUpAt - now) * (hourMs / minuteMs));
};

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [clock()] : args, newTarget) as Date,
  get: (target, name, receiver) => (name === 'now' ? clock : (Reflect.get(target, name, receiver) as unknown)),
});
