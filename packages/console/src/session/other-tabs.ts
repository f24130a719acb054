const NAME = 'fairway-session';

/** What another tab has done; the new session itself is asked of the server. */
export type SessionChange = 'signedIn' | 'left';

let channel: BroadcastChannel | undefined;

/** Calls back when another tab of the browser has changed the session, which all of them share. */
export function whenOtherTabs(handler: (change: SessionChange) => void): void {
  channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => handler(data));
}

export function tellOtherTabs(change: SessionChange): void {
  // A channel is of one origin alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel?.postMessage(change);
}
