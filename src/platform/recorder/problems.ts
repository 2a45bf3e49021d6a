const MAX_PROBLEMS = 20;
const MAX_LENGTH = 200;

/** What is wrong with a record, for people: distinct, short and few, however many lines are bad. */
export class Problems {
  readonly #texts = new Set<string>();
  #more = false;

  /** Notes a problem; the text is shortened to 200 characters. */
  add(text: string): void {
    if (this.#texts.size < MAX_PROBLEMS) this.#texts.add(text.slice(0, MAX_LENGTH).toWellFormed());
    else this.#more = true;
  }

  /** The problems in their order. */
  list(): string[] {
    return [...this.#texts, ...(this.#more ? ['… and more problems'] : [])];
  }
}
