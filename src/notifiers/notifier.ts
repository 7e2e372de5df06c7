// The port of the notifier family: tell a person that something happened.
import type { Notification } from "../protocol/view.ts";

/**
 * Sends one notification.
 *
 * May be slow and may throw: the runtime neither waits for it nor lets it stop a run. Must not be called with
 * text that has not passed the redacting writer. Must not change state.
 */
export interface Notifier {
  send(notification: Notification): Promise<void>;
}
