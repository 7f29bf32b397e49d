import { setTimeout as pause } from 'node:timers/promises';
import type { Misbehaviour } from './misbehaviour.js';

/** Treatment of calls at the moment. Its methods return undefined where there is no wait. */
export class Conduct {
  #told: Misbehaviour = {};
  #answersToLose = 0;
  #silence: { over: Promise<void>; end: () => void } | undefined;

  get told(): Misbehaviour {
    return this.#told;
  }

  /** Replaces the earlier misbehaviour. */
  tell(misbehaviour: Misbehaviour): void {
    this.#told = misbehaviour;
    const { loseAppendAnswers, silent } = misbehaviour;
    this.#answersToLose = loseAppendAnswers ? (loseAppendAnswers.times ?? Number.POSITIVE_INFINITY) : 0;
    if (silent) this.#silence ??= silence();
    else {
      this.#silence?.end();
      this.#silence = undefined;
    }
  }

  /** Waits until a request is heard. */
  hearing(): Promise<void> | undefined {
    return this.#silence?.over;
  }

  /** Waits until a call that was carried out is answered. */
  answering(): Promise<void> | undefined {
    const { answerLateMs } = this.#told;
    const silenceIsOver = this.#silence?.over;
    if (!answerLateMs) return silenceIsOver;
    return Promise.all([silenceIsOver, pause(answerLateMs)]).then(() => {});
  }

  /** Called once for each append that succeeds: how its answer is lost, if it is. */
  loseAnswer(): 'silence' | 'disconnect' | undefined {
    if (this.#answersToLose <= 0) return undefined;
    this.#answersToLose -= 1;
    return this.#told.loseAppendAnswers?.by ?? 'silence';
  }
}

function silence() {
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { over, end };
}

/**
 * Lets what belongs to one call pass in order, each as soon as `wait` allows it: at once, in the same turn, while there
 * is nothing to wait for.
 */
export function inOrder(wait: () => Promise<void> | undefined): (pass: () => void) => void {
  let last: Promise<unknown> | undefined;
  return (pass) => {
    const waiting = wait();
    if (!last && !waiting) return pass();
    const turn: Promise<void> = Promise.all([last, waiting]).then(() => {
      if (last === turn) last = undefined;
      pass();
    });
    last = turn;
  };
}
