/** The process as the commands see it, so that they can be tried without one. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Standard error is a terminal that shows colours. */
  readonly colours: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Everything that comes on standard input. */
  readonly readInput: () => Promise<string>;
}
