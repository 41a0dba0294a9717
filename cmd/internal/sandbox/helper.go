package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// A Handler answers a question of a process inside the sandbox, from outside. The question is text that a hostile file may
// have chosen.
type Handler func(question string) (answer string)

// Handlers are handlers by the names of what they do.
type Handlers map[string]Handler

// errGone is the error of questions to a helper that has ended.
var errGone = errors.New("the process outside of the sandbox has ended")

// Serve answers the questions that it reads, until there are none left. Each is a line: a number, the name of its handler (one word), and a
// text in quotes.
func (h Handlers) Serve(questions io.Reader, answers io.Writer) {
	var mu sync.Mutex
	lines := bufio.NewScanner(questions)
	for lines.Scan() {
		var id int
		var name, text string
		if _, err := fmt.Sscanf(lines.Text(), "%d %s %q", &id, &name, &text); err != nil || h[name] == nil {
			return
		}
		go func() {
			answer := h[name](text)
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(answers, "%d %q\n", id, answer)
		}()
	}
}

// A Helper is a process outside of the sandbox that answers questions.
type Helper struct {
	questions, answers *os.File
	Input              *os.File // the standard input of the helper; nil: it has none

	mu      sync.Mutex
	asked   int
	waiting map[int]chan string // nil: the helper has ended
}

func newHelper(questions, answers, input *os.File) *Helper {
	h := &Helper{questions: questions, answers: answers, Input: input, waiting: make(map[int]chan string)}
	go h.read()
	return h
}

func (h *Helper) read() {
	lines := bufio.NewReader(h.answers)
	for {
		var id int
		var answer string
		line, err := lines.ReadString('\n')
		if err == nil {
			_, err = fmt.Sscanf(line, "%d %q", &id, &answer)
		}
		h.mu.Lock()
		if err != nil {
			for _, c := range h.waiting {
				close(c)
			}
			h.waiting = nil
			h.mu.Unlock()
			return
		}
		if c := h.waiting[id]; c != nil {
			c <- answer
			delete(h.waiting, id)
		}
		h.mu.Unlock()
	}
}

// Ask asks the handler of that name, and waits for the answer. A nil Helper has ended.
func (h *Helper) Ask(name, question string) (string, error) {
	if h == nil {
		return "", errGone
	}
	c := make(chan string, 1)
	h.mu.Lock()
	if h.waiting == nil {
		h.mu.Unlock()
		return "", errGone
	}
	h.asked++
	h.waiting[h.asked] = c
	_, err := fmt.Fprintf(h.questions, "%d %s %q\n", h.asked, name, question)
	h.mu.Unlock()
	if err != nil {
		return "", err
	}
	answer, ok := <-c
	if !ok {
		return "", errGone
	}
	return answer, nil
}
